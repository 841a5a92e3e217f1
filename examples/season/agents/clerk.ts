/** An agent that writes files and runs commands, which need confirmation. */
import type { Agent } from "hindcast"

/** An agent that writes the file or runs the command that its goal names. */
export const clerk = (): Agent.DecidingAgent => ({
  name: "clerk",
  version: "1.0.0",
  decide: ({ goal, step, lastOutcome }): Agent.Choice => {
    if (step === 0) return commandFor(goal)
    if (step === 1 && lastOutcome?.status === "denied") return { say: `I was told no: ${lastOutcome.reason}` }
    return endOf(lastOutcome)
  },
})

const commandFor = (goal: string): Agent.Choice => {
  const [, file] = /(\S+\.md)/.exec(goal) ?? []
  return file === undefined
    ? { act: "workspace/run", args: { command: "ls", args: ["-1"] }, rationale: "What is there has to be counted." }
    : { act: "workspace/write_file", args: { path: file, content: `# ${goal}\n\nDone as asked.\n` } }
}

const endOf = (outcome: Agent.DecisionContext["lastOutcome"]): Agent.Choice => {
  switch (outcome?.status) {
    case "succeeded":
      return { done: "achieved", reason: "It is on file." }
    case "expired":
      return { done: "abandoned", reason: "Nobody answered." }
    default:
      return { done: "failed", reason: "It was not allowed." }
  }
}
