/** `hindcast plugin add --mcp`: lists an MCP server's tools and resources, and writes a plugin for them. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { isPluginName } from "../../plugins/manifest/fields.ts"
import { FILE } from "../../plugins/manifest/ManifestFile.ts"
import * as Listing from "../../plugins/mcp/Listing.ts"
import * as ServerEntry from "../../plugins/mcp/ServerEntry.ts"
import { layerOf, PluginHost } from "../../plugins/process/PluginHost.ts"
import { BadInput } from "../command/BadInput.ts"
import { optionalText, repeatedText, wholeNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as ServerUrl from "./ServerUrl.ts"

export const options = {
  mcp: optionalText("mcp", "Add an MCP server as the plugin of this name: its command follows after --"),
  url: optionalText("url", "With --mcp: the server's URL, for Streamable HTTP, instead of a command"),
  header: repeatedText(
    "header",
    "With --url: a header of each request and the environment variable with its value, such as Authorization=DOCS_TOKEN",
  ),
  callTimeout: wholeNumber("call-timeout", 1).pipe(
    Options.withDescription("With --mcp: how many seconds a call may take. Default: 60"),
    Options.optional,
  ),
}

export interface Typed {
  readonly mcp: Option.Option<string>
  readonly url: Option.Option<string>
  /** Granted variables of the environment: the server gets no other ones. */
  readonly env: ReadonlyArray<string>
  readonly header: ReadonlyArray<string>
  /** Granted hosts: addresses of private networks that a person named. */
  readonly net: ReadonlyArray<string>
  readonly callTimeout: Option.Option<number>
  readonly words: ReadonlyArray<string>
  readonly log: Option.Option<string>
  readonly workspace: Option.Option<string>
}

/** A plugin's directory to import. */
export interface Source {
  readonly source: string
  /** The grants that a person gave by typing the command. */
  readonly grants: {
    readonly run: ReadonlyArray<string>
    readonly net: ReadonlyArray<string>
    readonly env: ReadonlyArray<string>
  }
  /** The tools and resources without a component, and why. */
  readonly leftOut: ReadonlyArray<string>
}

const CALL_S = 60

/** The source that a person named, or the one that a server's plugin is written to. */
export const sourceOf = (typed: Typed) =>
  Effect.gen(function* () {
    const { mcp, words } = typed
    if (Option.isSome(mcp)) return yield* fromServer(typed, mcp.value)
    if (Option.isSome(typed.url) || Option.isSome(typed.callTimeout) || typed.header.length > 0) {
      return yield* new BadInput({
        input: "plugin add",
        expected: "--mcp NAME with --url, --header and --call-timeout",
        found: "none",
      })
    }
    const [source, ...others] = words
    if (source === undefined || others.length > 0) {
      const found = source === undefined ? "none" : `${words.length}: ${words.join(" ")}`
      return yield* new BadInput({ input: "plugin add", expected: "one source, or --mcp NAME -- COMMAND", found })
    }
    const plain: Source = { source, grants: { run: [], net: [], env: [] }, leftOut: [] }
    return plain
  })

const fromServer = (typed: Typed, name: string) =>
  Effect.gen(function* () {
    const { env, log } = typed
    if (!isPluginName(name)) {
      const expected = "a name of a-z, 0-9, '.', '_' and '-' that starts with a letter or digit"
      return yield* new BadInput({ input: "--mcp", expected, found: JSON.stringify(name) })
    }
    const server = yield* serverOf(typed)
    const workspace = fs.realpathSync(yield* OpenLog.workspaceOf(typed.workspace))
    const file = yield* OpenLog.fileOf(log)
    const callMs = Option.getOrElse(typed.callTimeout, () => CALL_S) * 1000
    const forbidden = [file, `${file}.plugins`, `${file}.keys`]
    const listing = yield* Effect.flatMap(PluginHost, (host) =>
      host.listServer({ server, name, workspace, forbidden, env, denoDir: path.join(`${file}.mcp`, `${name}.deno`) }),
    ).pipe(Effect.provide(layerOf({})))
    const { manifest, entry, leftOut } = Listing.filesOf({ name, server, env, callMs }, listing)
    const source = path.join(`${file}.mcp`, name)
    yield* Effect.try({
      try: () => {
        OwnerOnly.makeDirectory(source)
        fs.writeFileSync(path.join(source, FILE), `${JSON.stringify(manifest, null, 2)}\n`, {
          mode: OwnerOnly.FILE_MODE,
        })
        fs.writeFileSync(path.join(source, ServerEntry.FILE), `${JSON.stringify(entry, null, 2)}\n`, {
          mode: OwnerOnly.FILE_MODE,
        })
      },
      catch: (cause) =>
        new BadInput({
          input: source,
          expected: "a directory that can be written",
          found: cause instanceof Error ? cause.message : String(cause),
        }),
    })
    const { permissions } = manifest
    const made: Source = {
      source,
      grants: { run: permissions.run, net: permissions.net ?? [], env: permissions.env ?? [] },
      leftOut,
    }
    return made
  })

const serverOf = ({ url, header, net, words }: Typed): Effect.Effect<ServerEntry.Server, BadInput> => {
  const [command, ...args] = words
  if (Option.isSome(url)) {
    if (command !== undefined) {
      return new BadInput({ input: "--url", expected: "no command with it", found: words.join(" ") })
    }
    const variables = Effect.flatMap(ServerUrl.of(url.value), (parsed) => ServerUrl.variablesOf(header, parsed))
    return Effect.map(variables, (headers) => ({
      url: url.value,
      ...(header.length === 0 ? {} : { headers }),
      ...(net.length === 0 ? {} : { addresses: net }),
    }))
  }
  if (header.length > 0) return new BadInput({ input: "--header", expected: "--url next to it", found: "none" })
  return command === undefined
    ? new BadInput({
        input: "--mcp",
        expected: "the server's command after --, such as -- npx -y @modelcontextprotocol/server-memory, or --url URL",
        found: "neither",
      })
    : Effect.succeed({ command, args })
}
