"""Who proposes: state spaces, tools, and the values in them. Checks elsewhere dispose."""
