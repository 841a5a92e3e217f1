/** How soon an assistant that asks `hindcast mcp` meets the cause of a failure: the twenty tasks of `bench/failures`. */
import { fileURLToPath } from "node:url"
import { connected, find } from "../failures/protocol.mjs"
import { recordAll } from "../failures/record.mjs"
import { median } from "../measure.mjs"

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url))

export const run = async (directory, _rounds, say) => {
  const results = []
  for (const { name, log, cause } of await recordAll(directory)) {
    const result = await connected(MAIN, log, (client) => find(client, cause))
    say(
      `${name}: ${result.found ? `by ${result.by}, call ${result.calls}` : "not found"}, suspect ${result.rank ?? "none"}`,
    )
    results.push(result)
  }
  const found = results.filter((result) => result.found)
  const among = (places) => results.filter(({ rank }) => rank !== null && rank <= places).length
  const row = (what, ours, at, value, unit = "") => ({ what, unit, ours, bound: { of: "ours", at, value } })
  return [
    row(`causes found, of ${results.length}`, found.length, "least", 18),
    row("causes found in the first answer", found.filter(({ calls }) => calls === 1).length, "least", 14),
    row("causes that are the likeliest suspect", among(1), "least", 10),
    row("causes among the three likeliest suspects", among(3), "least", 14),
    row("bytes read to the cause, median", median(found.map(({ bytes }) => bytes)), "most", 6000, "B"),
    row("the longest explanation", Math.max(...results.map(({ first }) => first)), "most", 6000, "B"),
  ]
}
