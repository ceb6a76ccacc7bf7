"""What a model is asked for, one file a pass: each small, each checked, each able to fall back to
what rules had for that piece alone."""
