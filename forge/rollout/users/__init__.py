"""Who asks: the simulated users. They hear the agent, and never see the state."""
