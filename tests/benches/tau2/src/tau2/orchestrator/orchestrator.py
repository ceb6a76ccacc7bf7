from tau2.data_model.message import AssistantMessage, MultiToolMessage
from tau2.data_model.simulation import SimulationRun, TerminationReason


class Orchestrator:
    def __init__(self, domain, agent, user, environment, task, max_steps):
        self.agent, self.user, self.environment = agent, user, environment
        self.task, self.most = task, max_steps

    def run(self):
        message = AssistantMessage(role="assistant", content="Hi!")
        said, why = [message], TerminationReason.MAX_STEPS
        to_user = True
        while len(said) < self.most:
            if to_user:
                message = self.user.generate_next_message(message)
            else:
                message, _ = self.agent.generate_next_message(message, None)
            said.append(message)
            if to_user and "###STOP###" in (message.content or ""):
                why = TerminationReason.USER_STOP
                break
            if message.tool_calls:
                results = [self.environment.get_response(call) for call in message.tool_calls]
                said += results
                message = (
                    MultiToolMessage(tool_messages=results) if len(results) > 1 else results[0]
                )
            else:
                to_user = not to_user
        return SimulationRun(
            id="run",
            task_id=self.task.id,
            start_time="",
            end_time="",
            duration=0,
            termination_reason=why,
            messages=said,
        )
