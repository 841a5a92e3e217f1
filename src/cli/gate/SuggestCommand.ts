/** The command `hindcast gate suggest`: gate rules from people's approvals and refusals. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import * as Gate from "../../kernel/gate/Gate.ts"
import * as GateSuggestions from "../../kernel/gate/GateSuggestions.ts"
import { NothingListed } from "../command/BadInput.ts"
import { json, wholeNumber } from "../command/CommonOptions.ts"
import { log } from "../command/HooksLog.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as SuggestionPage from "../pages/gate/SuggestionPage.ts"
import * as GateOptions from "./GateOptions.ts"

/** An approval that is given once may be an exception. */
const AT_LEAST = 3

export const suggest = Command.make(
  "suggest",
  {
    log,
    json,
    ...GateOptions.options,
    atLeast: wholeNumber("at-least", 1).pipe(
      Options.withDescription(`Allow only calls that people approved at least this often. Default: ${AT_LEAST}`),
      Options.withDefault(AT_LEAST),
    ),
  },
  ({ log, json, atLeast, ...chosen }) =>
    Effect.gen(function* () {
      const found = yield* GateOptions.tried(Gate.standard, chosen)
      const suggestions = GateSuggestions.of(found.commands, atLeast)
      if (suggestions.decided === 0) {
        const among = `none among ${found.commands.length}`
        return yield* new NothingListed({ expected: "a command that a person approved or refused", found: among })
      }
      yield* Output.show(json, suggestions, () => SuggestionPage.lines(suggestions, found))
    }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(
  Command.withDescription(
    "Propose gate rules from people's approvals and refusals, as YAML with the evidence for each rule",
  ),
)
