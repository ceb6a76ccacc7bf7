"""Every page there is, and every action: the one list that server and export walk.

Always holds: every kind of thing has a page at `{thing}/index.html`, by which it is first seen.
"""

from forge.browse import dataset, environment, marks, rollouts, runs, task
from forge.browse.page import Action, Page

PAGES: tuple[Page, ...] = (
    *dataset.PAGES,
    *environment.PAGES,
    *task.PAGES,
    *marks.PAGES,
    *rollouts.PAGES,
    *runs.PAGES,
)
ACTIONS: tuple[Action, ...] = (*marks.ACTIONS,)
