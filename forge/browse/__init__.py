"""What was made, as pages: data sets, environments, tasks, trajectories, runs. They are served on
this machine alone, or written as files that open from disk.

To add a page: write `show`, a function of what was `Asked` (`page.py`) that gives the values its
template is filled with, and the template, which extends `base.html.j2`; then put a `Page` into the
tuple `PAGES` of its module, and that tuple into `pages.py`. Server and export both walk that list.

Always holds: a page is read anew from the files at each request, for others may be writing them;
what comes from files is escaped by the templates, and is in no script, style or address unless it
is a plain name; links are relative, and the same on the server and on disk.
"""
