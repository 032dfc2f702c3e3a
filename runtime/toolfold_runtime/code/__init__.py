"""Programs of agents: Python in which tools are typed functions, checked before it runs."""
