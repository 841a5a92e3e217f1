import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Rubric from "../../../src/kernel/rules/Rubric.ts"

const checked = (rule: string): ReadonlyArray<string> => {
  const rewards = [{ name: "r", when: "it holds", weight: 1, rule }]
  const decoded = Rubric.decode("rubric", { name: "m", measures: [{ name: "m", description: "d", rewards }] })
  return Either.match(decoded, { onLeft: ({ issues }) => issues, onRight: () => [] })
}

describe("a rule that no event can fulfil is refused before scoring", () => {
  it.each([
    [
      'event.type == "ActuatorCommandd"',
      'event.type names no type of event: "ActuatorCommandd". Did you mean ActuatorCommanded?',
    ],
    ['event.type in ["TaskClosed", "TaskClosd"]', '"TaskClosd". Did you mean TaskClosed?'],
    ['count("CommandDenid") > 2', 'count("CommandDenid") names no type of event'],
    [
      'event.type == "CommandSucceeded" && event.payload.actuator == "program/refund"',
      "event.payload.actuator is no field of CommandSucceeded, which has commandId, result, latencyMs",
    ],
    [
      'event.type == "CommandSucceeded" && event.payload.actuator == "x"',
      "`command.actuator` is that of the event's command",
    ],
    ['event.type == "ActuatorCommanded" && event.payload.arg.euros > 9', "Did you mean args"],
    [
      '(event.type == "CommandFailed" || event.type == "CommandDenied") && event.payload.euros > 9',
      "CommandFailed or CommandDenied",
    ],
    [
      'event.type == "TaskClosed" && event.payload.outcome == "success"',
      'of TaskClosed is never "success", but one of achieved',
    ],
    [
      'event.type == "ModelResponded" && event.payload.usage.output > 100',
      "event.payload.usage.output is no field of event.payload.usage, which has ",
    ],
    ['event.type == "ModelFailed" && event.payload.usage.outputToken > 100', "Did you mean outputTokens or in"],
    ['event.type == "TaskClosed" ? event.payload.outcom == "x" : false', "Did you mean outcome?"],
  ])("%s", (rule, said) => {
    const [issue, ...others] = checked(rule)
    expect(others).toEqual([])
    expect(issue).toContain(`m, "r": Rule \`${rule}\`: `)
    expect(issue).toContain(said)
  })

  it.each([
    'event.type == "acme/Counted" && event.payload.pieces == 3',
    'event.type in ["acme/Counted", "TaskClosed"] && event.payload.pieces == 3',
    'event.type == "TaskClosed" && has(event.payload.pieces)',
    "event.payload.pieces == 3",
    'event.type == "ModelResponded" && event.payload.usage.outputTokens > 100',
    'event.type == "ModelResponded" && has(event.payload.usage.output)',
    'event.type == "ActuatorCommanded" && event.payload.args.a.b.c == 3',
    'event.type == "CommandSucceeded" && event.payload.result.usage.output == 3',
    'event.type != "TaskClosed" || event.payload.outcome == "achieved"',
    'event.type == "ActuatorCommanded" ? event.payload.args.euros > 9 : event.payload.outcome == "achieved"',
    'commands.exists(event, event.payload == "x") && event.type == "TaskClosed"',
    'event.type == "CommandSucceeded" && command.actuator == "program/refund" && event.payload.result.paid == "yes"',
    'event.type == "TaskClosed" && event.payload["outcome"] == "achieved"',
  ])("but not %s", (rule) => {
    expect(checked(rule)).toEqual([])
  })
})
