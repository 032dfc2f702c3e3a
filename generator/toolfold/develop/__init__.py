"""The edit loop: watching files, restarting a server, proxying its stdio."""
