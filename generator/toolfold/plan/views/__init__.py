"""Views: the ready texts that agents ask for, written and counted when generating."""
