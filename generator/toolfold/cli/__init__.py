"""The command line: arguments in, findings printed, exit code out. The only package that prints."""
