"""From drafts to environments: bases made, tools checked by running them, the rest left out."""
