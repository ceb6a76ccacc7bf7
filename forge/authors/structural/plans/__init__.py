"""What each tool is to do, decided, or the reason why there is none."""
