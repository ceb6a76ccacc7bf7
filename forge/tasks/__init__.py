"""From an environment to tasks: graph, walk, intent, DAG, question. A task is proposed here and
judged in `forge/gates`."""
