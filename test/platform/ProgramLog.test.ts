import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import * as ProgramLog from "../../src/platform/ProgramLog.ts"
import { recordOrLog } from "../../src/plugins/channel/EventRecorder.ts"
import { CallFailed, PluginFailedToLoad } from "../../src/plugins/PluginError.ts"

const HOSTILE = "a\u0000\u009b31m\u202e\u3164\u001b[2Jb"
const SHOWN = "a\\u{0}\\u{9b}31m\\u{202e}\\u{3164}\\u{1b}[2Jb"

/** What an effect says on the program's log. */
const said = (effect: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const noting = Logger.make(({ logLevel, message, cause }) => {
      lines.push(`${logLevel.label} ${[message].flat().join(" ")}${Cause.isEmpty(cause) ? "" : Cause.pretty(cause)}`)
    })
    yield* effect.pipe(Effect.provide(Logger.replace(Logger.defaultLogger, noting)))
    return lines
  })

describe("what Hindcast says on a program's log", () => {
  it.effect("shows words of others with all that is in them", () =>
    Effect.gen(function* () {
      expect(yield* said(ProgramLog.warning(HOSTILE, new Error(HOSTILE)))).toEqual([`WARN ${SHOWN}\n${SHOWN}`])
      const [line] = yield* said(ProgramLog.error("it", Cause.fail(new Error(HOSTILE)), { said: `${HOSTILE}\n` }))
      expect(line).toContain(`ERROR it\n{"said":"a\\u0000`)
      expect(line?.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
    }),
  )

  it.effect("is what a plugin said, where the log does not take it", () =>
    Effect.gen(function* () {
      const event = { type: "PluginLogged", payload: { plugin: "p", level: "info", message: HOSTILE } } as const
      const refusing = recordOrLog(() => Effect.fail(new Error(`refused: ${HOSTILE}`)))
      const [line] = yield* said(refusing(event))
      expect(line).toContain("PluginLogged was not recorded")
      expect(line).toContain(`refused: ${SHOWN}`)
      expect(line?.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
    }),
  )

  it("is said by one module alone, and programs are written to by those of the command line", () => {
    const source = fileURLToPath(new URL("../../src", import.meta.url))
    const files = fs.readdirSync(source, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const using = (what: RegExp) =>
      files
        .filter((file) => what.test(fs.readFileSync(path.join(source, file), "utf8")))
        .map((file) => file.split(path.sep).join("/"))
        .sort()
    expect(using(/\bEffect\.log[A-Z(]/)).toEqual(["platform/ProgramLog.ts"])
    // The trial's and the relay's are lines of programs of their own, one for Deno and one within a namespace.
    const ownPrograms = [
      "plugins/sandbox/Trial.ts",
      "record/process/LoopbackOnly.ts",
      "record/process/NamespaceRelay.ts",
    ]
    const isOwn = (file: string) => file.startsWith("plugins/runner/") || ownPrograms.includes(file)
    expect(using(/\bconsole\.\w+\(/).filter((file) => !isOwn(file))).toEqual([])
    expect(using(/process\.std(?:out|err)\.write\(/).filter((file) => !isOwn(file))).toEqual(WRITERS)
  })

  it("is not in an error's message either that carries what a plugin said", () => {
    const call = { plugin: "p", call: "read p/s" }
    const failed = new CallFailed({ ...call, error: { code: HOSTILE, message: HOSTILE } })
    expect(failed.message).toBe(`Plugin p failed read p/s: ${SHOWN}: ${SHOWN}`)
    expect(failed.error.message).toBe(HOSTILE)
    const loading = new PluginFailedToLoad({ plugin: "p", reason: HOSTILE, stderr: [HOSTILE] })
    expect(loading.message).toBe(`Plugin p did not load: ${SHOWN}\n  | ${SHOWN}`)
  })
})

/** Each passes what others wrote through `PlainText` or `Text`; `AtomicOutput` writes exports, which are data for programs. */
const WRITERS = [
  ...["cli/Start.ts", "cli/command/Output.ts", "cli/export/AtomicOutput.ts"],
  "cli/main.ts",
  // The question for a password: a text of ours, next to an output that may be a file.
  "cli/terminal/Question.ts",
  "record/log/AskedPerson.ts",
  // It passes on what the recorded program itself wrote.
  "record/process/ErrorOutput.ts",
]
