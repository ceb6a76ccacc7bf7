from tau_bench.types import Action, Task

TASKS = [
    Task(
        instruction="Emma is for bob.",
        actions=[Action(name="lend_book", kwargs={"book": "b1", "to": "bob"})],
    ),
    Task(instruction="Who has Dune?", actions=[], outputs=["ann"]),
    Task(instruction="Nothing at all.", actions=[]),
    Task(
        instruction="Talk to a person.",
        actions=[Action(name="call_the_librarian", kwargs={})],
    ),
]
