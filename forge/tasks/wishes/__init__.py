"""What a user might want of the records that are there, and how they name them."""
