import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import { NO_GRANTS } from "../../../src/plugins/manifest/Grants.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import type { AskPerson, PersonsQuestion } from "../../../src/plugins/mcp/AskPerson.ts"
import * as Listing from "../../../src/plugins/mcp/Listing.ts"
import * as ServerEntry from "../../../src/plugins/mcp/ServerEntry.ts"
import { PluginHost } from "../../../src/plugins/process/PluginHost.ts"
import type { ProcessSpec } from "../../../src/plugins/process/ProcessSpec.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"

export const SERVER = inRepository("test", "plugins", "mcp", "server.mjs")

/** Lists a server and writes its plugin, as `hindcast plugin add --mcp` does. */
export const writtenPlugin = (
  directory: string,
  server: ServerEntry.Server,
  { env = [], handshakeMs }: { readonly env?: ReadonlyArray<string>; readonly handshakeMs?: number } = {},
) =>
  Effect.gen(function* () {
    const { listServer } = yield* PluginHost
    const input = {
      server,
      name: "scripted",
      workspace: directory,
      forbidden: [],
      env,
      denoDir: path.join(directory, "deno"),
    }
    const listing = yield* listServer({ ...input, ...(handshakeMs === undefined ? {} : { handshakeMs }) })
    const files = Listing.filesOf({ name: "scripted", server, env, callMs: 60_000 }, listing)
    const plugin = path.join(directory, "plugin")
    fs.mkdirSync(plugin, { recursive: true })
    fs.writeFileSync(path.join(plugin, Manifest.FILE), JSON.stringify(files.manifest))
    fs.writeFileSync(path.join(plugin, ServerEntry.FILE), JSON.stringify(files.entry))
    return { plugin, files, loaded: yield* Manifest.load(plugin) }
  })

/** The scripted server, which marks in a file what was called. */
export const scripted = (behaviour: string, directory: string): ServerEntry.Server => ({
  command: process.execPath,
  args: [SERVER, behaviour, path.join(directory, "mark")],
})

export interface StartOptions {
  readonly behaviour?: string
  /** What the server does when the plugin is written. Default: as afterwards. */
  readonly listedAs?: string
  readonly answer?: (question: PersonsQuestion) => ReturnType<AskPerson>
  readonly limits?: ProcessSpec["limits"]
  readonly env?: ReadonlyArray<string>
  readonly approvedTools?: ProcessSpec["approvedTools"]
}

/** A started server, what it has recorded, and what people were asked. */
export const started = ({
  behaviour = "plain",
  listedAs = behaviour,
  answer,
  limits,
  env = [],
  approvedTools,
}: StartOptions = {}) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const server = scripted(behaviour, directory)
    const { loaded, files } = yield* writtenPlugin(directory, scripted(listedAs, directory), { env })
    fs.writeFileSync(path.join(loaded.directory, ServerEntry.FILE), JSON.stringify({ ...files.entry, server }))
    const events: Array<CoreNewEvent> = []
    const asked: Array<PersonsQuestion> = []
    const { start } = yield* PluginHost
    const process_ = yield* start({
      manifest: loaded.manifest,
      directory: loaded.directory,
      grants: { ...NO_GRANTS, run: [process.execPath], env },
      workspace: directory,
      seed: 1,
      instance: "kernel",
      denoDir: path.join(directory, "deno"),
      metadata: { plugin: {}, components: {} },
      record: (event) => Effect.sync(() => events.push(event)),
      ...(limits === undefined ? {} : { limits }),
      ...(approvedTools === undefined ? {} : { approvedTools }),
      ...(answer === undefined
        ? {}
        : {
            ask: (question: PersonsQuestion) =>
              Effect.suspend(() => {
                asked.push(question)
                return answer(question)
              }),
          }),
    })
    const mark = path.join(directory, "mark")
    return {
      process: process_,
      events,
      asked,
      files,
      called: () => (fs.existsSync(mark) ? fs.readFileSync(mark, "utf8").trim().split("\n") : []),
    }
  })

export const textOf = (result: unknown): string => {
  const { content } = result as { readonly content: ReadonlyArray<{ readonly text: string }> }
  return content.map(({ text }) => text).join("\n")
}
