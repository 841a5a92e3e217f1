/** The prompts of the server: how to debug a task, to compare agents, and to turn a failure into a rule. */
import type { McpServer } from "@modelcontextprotocol/server"
import { Schema } from "effect"
import * as Answer from "./Answer.ts"
import * as Tool from "./Tool.ts"

const Debug = Schema.Struct({ task: Tool.optional(Tool.task) })

const Compare = Schema.Struct({
  a: Tool.text("A scoring, or a model as provider/model"),
  b: Tool.text("The other one"),
})

const Rule = Schema.Struct({ task: Tool.task })

export const register = (server: McpServer): void => {
  server.registerPrompt(
    "debug-task",
    {
      title: "Find out why a task failed",
      description: "Finds the event that is the cause of a failure, with evidence and a fix",
      argsSchema: Tool.standard(Debug),
    },
    ({ task }) =>
      user(
        `Find out why ${task === undefined ? "the newest task that was not achieved" : `task ${task}`} failed. Begin with ${Answer.written({ tool: "explain_failure", args: task === undefined ? {} : { task } })}. Check the likeliest suspect with show and effects, and test your explanation: would the failure also have happened without that event? Name the event that is the cause by its position, the evidence by positions, and a fix. Say how certain you are.`,
      ),
  )
  server.registerPrompt(
    "compare-agents",
    {
      title: "Compare two agents, models or scorings",
      description: "Says whether one is better by more than chance, and where the tasks that changed most diverge",
      argsSchema: Tool.standard(Compare),
    },
    ({ a, b }) =>
      user(
        `Compare ${a} and ${b} with ${Answer.written({ tool: "compare", args: { a, b } })} (models: true for models). Report the difference with its interval and p, and whether it is more than chance. Then look at the two tasks that changed most: align shows where they diverge, explain_failure why the worse one failed.`,
      ),
  )
  server.registerPrompt(
    "write-a-rule",
    {
      title: "Write a rule that prevents a failure",
      description: "Turns a failure into a gate rule that stops its cause, or a punishment that detects it",
      argsSchema: Tool.standard(Rule),
    },
    ({ task }) =>
      user(
        `Explain the failure with ${Answer.written({ tool: "explain_failure", args: { task } })}. Then write either a rule of hindcast.gate.yaml that stops the call which caused it (name, actuator or args pattern, decision: deny or confirm, reason), or a punishment of a rubric (name, when, weight, rule: a CEL expression over event) that detects it. Use search with when to see which other events the expression holds at, so that the rule stops nothing else. \`hindcast gate try --rules FILE\` shows what it would have decided.`,
      ),
  )
}

const user = (text: string) => ({ messages: [{ role: "user" as const, content: { type: "text" as const, text } }] })
