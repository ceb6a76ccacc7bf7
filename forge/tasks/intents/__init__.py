"""What an intent means on the records themselves, and how to look into one."""
