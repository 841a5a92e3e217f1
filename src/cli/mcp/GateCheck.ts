/** `hindcast mcp gate --check`: the decisions of a gate's rules about a server's tools. */
import { Data, Effect } from "effect"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as Calls from "../../mcp/Calls.ts"
import * as RuleCoverage from "../../mcp/RuleCoverage.ts"
import type { Server } from "../../mcp/server/Server.ts"
import * as ToolList from "../../mcp/server/ToolList.ts"
import * as ToolPins from "../../plugins/mcp/ToolPins.ts"
import { oneLine } from "../../values/PlainText.ts"
import * as Output from "../command/Output.ts"
import * as Table from "../terminal/Table.ts"

/** Rules that name tools match none. */
export class RulesWithoutTool extends Data.TaggedError("RulesWithoutTool")<{ readonly said: ReadonlyArray<string> }> {
  override get message() {
    return `${this.said.join(".\n")}.`
  }
}

export class CheckFailed extends Data.TaggedError("CheckFailed")<{ readonly reason: string }> {
  override get message() {
    return this.reason
  }
}

export interface Checked {
  readonly server: string
  readonly gate: Gate.GateConfig
  readonly connect: () => Promise<Server>
}

/** Prints a line for each tool. Fails if a rule about the server matches no tool, or if no rule is about it. */
export const run = ({ server, gate, connect }: Checked): Effect.Effect<void, RulesWithoutTool | CheckFailed> =>
  Effect.gen(function* () {
    const tools = yield* Effect.tryPromise({
      try: async () => ToolList.of(server, await connect()),
      catch: (cause) => new CheckFailed({ reason: cause instanceof Error ? cause.message : String(cause) }),
    })
    if (tools.length === 0) return yield* new CheckFailed({ reason: `${server}: expected tools to check, found none` })
    const rows = tools.map((tool) => {
      const actuator = Calls.actuatorOf(server, ToolPins.nameOf(tool) ?? "")
      const risk = ToolPins.riskOf(tool) ?? "undeclared"
      const { decision, rule } = Gate.decide(gate, { actuator, risk })
      return { actuator, cells: [oneLine(actuator), risk, decision, oneLine(rule)] }
    })
    yield* Output.show(false, undefined, (style) =>
      Table.lines(
        style,
        ["tool", "risk", "decision", "rule"],
        rows.map(({ cells }) => cells),
      ),
    )
    const actuators = rows.map(({ actuator }) => actuator)
    const said = [RuleCoverage.ofOthers(gate, server), RuleCoverage.ofNoTool(gate, server, actuators)].flatMap(
      (one) => one ?? [],
    )
    if (said.length > 0) return yield* new RulesWithoutTool({ said })
  })
