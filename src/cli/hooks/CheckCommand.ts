/** The command `hindcast hooks check`: runs a coding agent against a scripted model, and sees whether its hooks hold. */
import { Command } from "@effect/cli"
import { Data, Effect } from "effect"
import * as HeadlessClient from "../../hooks/check/HeadlessClient.ts"
import * as HookCheck from "../../hooks/check/HookCheck.ts"
import * as Clients from "../../hooks/clients/Clients.ts"
import * as Installer from "../../hooks/install/Installer.ts"
import { BadInput } from "../command/BadInput.ts"
import { json } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import { attemptUntilAborted, failureOf } from "./Attempt.ts"
import * as HookPlaces from "./HookPlaces.ts"

/** The hooks are installed and do not hold, or nothing shows that they do. */
export class HooksNotHolding extends Data.TaggedError("HooksNotHolding")<{
  readonly title: string
  readonly reasons: ReadonlyArray<string>
  readonly output: string
}> {
  override get message() {
    const said = this.output.trim() === "" ? "" : ` It printed:\n${this.output.trim().split("\n").slice(-8).join("\n")}`
    return `The hooks of ${this.title} did not pass the check: ${this.reasons.join("; ")}.${said}`
  }
}

/** The program of a client is not installed. */
export class ClientMissing extends Data.TaggedError("ClientMissing")<{
  readonly title: string
  readonly program: string
}> {
  override get message() {
    return `${this.title} was not checked: expected its program on the PATH, found no ${this.program}.`
  }
}

/** Checks a client's hooks as they are in its settings. Fails if they do not hold, or if that cannot be seen. */
export const checked = (name: string, json: boolean) =>
  Effect.gen(function* () {
    const title = Clients.named(name)?.title ?? name
    const client = HeadlessClient.named(name)
    if (client === undefined) {
      const expected = `one of ${HeadlessClient.all.map((one) => one.name).join(", ")}`
      return yield* new BadInput({
        input: "the client",
        expected,
        found: `${name}, which cannot run unattended`,
      })
    }
    if (!json) yield* Output.note(`Checking: ${title} runs twice, against a scripted model and without a network …`)
    const found = yield* attemptUntilAborted(
      (signal) => HookCheck.check({ client, directory: process.cwd(), env: process.env, signal }),
      (cause) =>
        cause instanceof HookCheck.ProgramMissing
          ? new ClientMissing({ title, program: client.program })
          : failureOf(cause),
    )
    const reasons = reasonsIn(found)
    if (reasons.length > 0) return yield* new HooksNotHolding({ title, reasons, output: found.output })
    return { client: name, title, ...found }
  })

const reasonsIn = ({ ran, denied, closed }: HookCheck.CheckedHooks): ReadonlyArray<string> =>
  ran
    ? [
        ...(denied === true ? [] : ["a call that the gate denies ran, or its model was given no reason"]),
        ...(closed === true
          ? []
          : [
              closed === false
                ? "without a hook server, a call ran"
                : "the client never reached a call without a hook server",
            ]),
      ]
    : ["no call was run, so nothing was checked"]

export const check = Command.make("check", { client: HookPlaces.client, json }, ({ client: name, json }) =>
  Effect.gen(function* () {
    const installer = yield* HookPlaces.installerOf(name)
    const files = [false, true].map((project) => installer.file(HookPlaces.placeOf(project)))
    const texts = yield* Effect.forEach(files, HookPlaces.textOf)
    if (!texts.some((text) => Installer.has(installer, text))) {
      return yield* new BadInput({
        input: "hooks check",
        expected: "installed hooks",
        found: `none in ${files.join(" or ")}`,
        advice: `\`hindcast hooks install ${name}\` installs them.`,
        missing: true,
      })
    }
    const { title, ...found } = yield* checked(name, json)
    yield* Output.show(json, found, (style) => [
      `${style.good("✓")} ${title} asks the hook before a call, and runs what the gate allows`,
      `${style.good("✓")} a denied call does not run, and the model is given the reason`,
      `${style.good("✓")} without a hook server, no call runs`,
    ])
  }),
).pipe(
  Command.withDescription(
    "Run a coding agent against a scripted model, and see that a denial holds and that nothing runs without a hook server",
  ),
)
