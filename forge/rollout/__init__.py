"""Agents in environments: policies, simulated users, the loop, the reward, the runner."""
