/** The command `hindcast hooks status`: the coding agents with hooks, and what the hooks enforce and miss. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as Clients from "../../hooks/clients/Clients.ts"
import * as Door from "../../hooks/Door.ts"
import * as HookSettings from "../../hooks/HookSettings.ts"
import * as CodexTrust from "../../hooks/install/CodexTrust.ts"
import * as Installer from "../../hooks/install/Installer.ts"
import * as Installers from "../../hooks/install/Installers.ts"
import { isAlive } from "../../platform/LiveProcess.ts"
import * as CommandHints from "../command/CommandHints.ts"
import { json } from "../command/CommonOptions.ts"
import * as Output from "../command/Output.ts"
import * as Table from "../terminal/Table.ts"
import { attempt } from "./Attempt.ts"
import * as HookPlaces from "./HookPlaces.ts"

const NOT_ON_A_SERVER = "not recorded: their contents would be next to the log, which is on a server"

/** One client's hooks in one file of settings. */
interface InstalledHooks {
  readonly client: string
  readonly title: string
  readonly file: string
  /** Why the client does not run them; undefined if there is no known reason. */
  readonly broken: string | undefined
  readonly limits: ReadonlyArray<string>
}

export const status = Command.make("status", { json }, ({ json }) =>
  Effect.gen(function* () {
    const settings = yield* attempt(() => HookSettings.read())
    const door = yield* attempt(() => Door.read())
    const server =
      door !== undefined && isAlive(door.pid) ? { pid: door.pid, socket: door.socket, log: door.log } : null
    const gate = yield* HookSettings.gateOf(settings)
    const isChanged = settings.gate !== undefined && gate?.rules?.[0]?.name === HookSettings.CHANGED_RULE
    const enforced =
      settings.gate === undefined
        ? "nothing: every call passes and is recorded"
        : isChanged
          ? `every call is denied: ${gate?.rules?.[0]?.reason ?? "the rules changed"}`
          : `${settings.gate.file} decides which calls run`
    const found = yield* Effect.forEach(
      Installers.all.flatMap((installer) => [false, true].map((project) => ({ installer, project }))),
      installedIn,
    )
    const installed = found.flat()
    const { files } = settings
    const log = ServerUrl.nameOf(settings.log)
    const isElsewhere = ServerUrl.isAddress(settings.log)
    const document = {
      log,
      gate: settings.gate?.file ?? null,
      files: files !== false && !isElsewhere,
      enforced,
      server,
      installed,
    }
    yield* Output.show(json, document, (style) => [
      ...installed.flatMap(({ title, file, broken, limits }) => [
        `${style.name(title)}  ${file}`,
        ...(broken === undefined ? [] : [style.bad(`  not in force: ${CommandHints.inText(broken)}`)]),
        ...Table.facts(style, [
          ["enforces", broken === undefined ? enforced : "nothing"],
          ["records", "prompts, calls with their results, answers, and everything else that its hooks report"],
          [
            "files",
            files === false
              ? "not recorded"
              : isElsewhere
                ? NOT_ON_A_SERVER
                : "the changes that calls make in the session's directory",
          ],
          ...limits.map((limit) => ["not", limit] as const),
        ]),
        "",
      ]),
      ...(installed.length === 0
        ? [`No coding agent has the hooks. ${CommandHints.command(["hooks", "install", "CLIENT"])} installs them.`]
        : [`Sessions are tasks in ${log}.`]),
      server === null
        ? "No hook server is running. The next hook starts one."
        : `Process ${server.pid} answers hooks on ${server.socket}, and records to ${server.log}.`,
    ])
  }),
).pipe(Command.withDescription("Show which coding agents have the hooks, and what these enforce and miss"))

const installedIn = ({ installer, project }: { readonly installer: Installer.Installer; readonly project: boolean }) =>
  Effect.gen(function* () {
    const file = installer.file(HookPlaces.placeOf(project))
    const text = yield* HookPlaces.textOf(file)
    if (!Installer.has(installer, text)) return []
    const command = HookPlaces.commandOf(installer.name)
    const isForeign = Installer.isForeign(installer, text, command)
    const trust = installer.name === "codex" && !isForeign ? yield* Effect.promise(() => codexTrust(file)) : undefined
    const broken = isForeign ? foreign(installer.name) : trust
    const title = Clients.named(installer.name)?.title ?? installer.name
    const found: InstalledHooks = { client: installer.name, title, file, broken, limits: installer.limits }
    return [found]
  })

/** Settings of a cloned project can imitate Hindcast's hooks. */
const foreign = (name: string): string =>
  `they differ from the hooks that this copy of Hindcast writes: \`hindcast hooks install ${name}\` writes them again`

const codexTrust = async (file: string): Promise<string | undefined> => {
  try {
    const { found, trusted } = await CodexTrust.look({
      directory: process.cwd(),
      file,
      command: Installer.lineOf(HookPlaces.commandOf("codex")),
    })
    return found > 0 && trusted === found ? undefined : `Codex trusts ${trusted} of its ${found} hooks`
  } catch (cause) {
    return `whether Codex trusts them is unknown: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}
