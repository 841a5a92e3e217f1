/** Names an MCP server, for rules, pins and the log. */
import * as path from "node:path"
import { Effect, Option } from "effect"
import { isPluginName } from "../../plugins/manifest/fields.ts"
import { BadInput } from "../command/BadInput.ts"

/** The name that the user gave, else one from the server's URL or command, in lower case as rules have it. */
export const of = (
  name: Option.Option<string>,
  { url, words }: { readonly url: URL | undefined; readonly words: ReadonlyArray<string> },
): Effect.Effect<string, BadInput> => {
  const said = Option.getOrElse(name, () => (url === undefined ? ofCommand(words) : url.hostname).toLowerCase())
  return isPluginName(said)
    ? Effect.succeed(said)
    : new BadInput({
        input: "--name",
        expected: "a name that rules can use: a-z, 0-9, '.', '_' and '-', beginning with a letter or digit",
        found: `"${said}"`,
      })
}

/** Programs that start another program, which gives the name. */
const STARTERS = new Set([
  "npx",
  "node",
  "bunx",
  "bun",
  "deno",
  "uvx",
  "uv",
  "python",
  "python3",
  "tsx",
  "npm",
  "pnpm",
  "yarn",
])
const SUBCOMMANDS = new Set(["run", "exec", "dlx", "x"])

const ofCommand = (words: ReadonlyArray<string>): string => {
  const word = words.find(
    (word, index) =>
      !word.startsWith("-") &&
      !(index === 0 && STARTERS.has(path.basename(word).replace(/\.(exe|cmd)$/, ""))) &&
      !(index === 1 && SUBCOMMANDS.has(word)),
  )
  return path.basename((word ?? words[0] ?? "").replace(/(?<=.)@[^/]*$/, "")).replace(/\.\w{1,3}$/, "")
}
