/** The URL of an MCP server, and the headers that the user wants to send. */
import { Effect } from "effect"
import * as GrantedFetch from "../../plugins/mcp/GrantedFetch.ts"
import * as ServerHeaders from "../../plugins/mcp/ServerHeaders.ts"
import { BadInput } from "../command/BadInput.ts"

export const of = (text: string): Effect.Effect<URL, BadInput> => {
  const expected = "a URL of http: or https: without a user's name"
  return GrantedFetch.hostOf(text) === undefined
    ? new BadInput({ input: "--url", expected, found: `"${text}"` })
    : Effect.succeed(new URL(text))
}

/**
 * The environment variables of headers, by the headers' names, from words such as `Authorization=VARIABLE`: a value in
 * the command line would be in the list of processes. Refuses those that `ServerHeaders` does.
 */
export const variablesOf = (
  words: ReadonlyArray<string>,
  url: URL | undefined,
): Effect.Effect<Readonly<Record<string, string>>, BadInput> =>
  Effect.gen(function* () {
    if (words.length > 0 && url === undefined) {
      return yield* new BadInput({ input: "--header", expected: "--url next to it", found: "none" })
    }
    const headers = yield* Effect.forEach(words, (word) => {
      const [name = "", variable = "", ...others] = word.split("=")
      if (name === "" || variable === "" || others.length > 0) {
        const expected = "a header and an environment variable, such as Authorization=MCP_AUTHORIZATION"
        return new BadInput({ input: "--header", expected, found: `"${word}"` })
      }
      const value = process.env[variable]
      return value !== undefined && VALUE.test(value)
        ? Effect.succeed([name, variable] as const)
        : new BadInput({
            input: "--header",
            expected: `the environment variable ${variable} with a value of printable ASCII characters`,
            found: value === undefined ? "none" : "another value",
          })
    })
    const names = headers.map(([name]) => name)
    const refused = url === undefined ? undefined : ServerHeaders.refusalOf(url, names)
    if (refused !== undefined) return yield* new BadInput({ ...refused, input: `--${refused.input}` })
    return Object.fromEntries(headers)
  })

/** The values of headers, by name. */
export const headersOf = (
  words: ReadonlyArray<string>,
  url: URL | undefined,
): Effect.Effect<Readonly<Record<string, string>>, BadInput> =>
  Effect.map(variablesOf(words, url), (variables) =>
    Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, process.env[variable] ?? ""])),
  )

const VALUE = /^[\t\x20-\x7e]+$/
