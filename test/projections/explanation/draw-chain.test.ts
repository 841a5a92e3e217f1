import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { type ChainPicture, drawChain, MAX_LINKS, ofFailure } from "../../../src/projections/explanation/drawChain.ts"
import type { WhyFailed } from "../../../src/projections/explanation/FailureChain.ts"
import { PYTHON } from "../../python/interpreter.ts"

/** Parses XML as strictly as Python's parser does; answers the texts and the names of elements and attributes. */
const parsed = (xml: string): { readonly texts: ReadonlyArray<string>; readonly names: ReadonlyArray<string> } => {
  const program = `
import json, sys, xml.etree.ElementTree as tree
root = tree.fromstring(sys.stdin.buffer.read())
every = list(root.iter())
names = sorted({e.tag.split("}")[-1] for e in every} | {"@" + name for e in every for name in e.attrib})
print(json.dumps({"texts": [e.text for e in every if e.text and e.tag.endswith("text")], "names": names}))`
  return JSON.parse(execFileSync(PYTHON, ["-c", program], { input: xml, encoding: "utf8" }))
}

const why = (more: Partial<WhyFailed> = {}): WhyFailed => ({
  ...{ taskId: "task-0015", timeline: "main", standing: "failed", moment: 12 },
  sentence: "Failed after 6 steps (“There is no boiler any more.”); boiler/heat failed (@12).",
  chain: [
    { position: 14, role: "end", says: "failed: There is no boiler any more.", basis: "recorded" },
    { position: 12, role: "failure", says: "boiler/heat {} failed with PluginExited", basis: "recorded" },
    { position: 9, role: "decision", says: "daredevil chose heat", basis: "inferred", rule: "values" },
  ],
  rules: { values: "a value of the call occurs in it" },
  notes: [],
  ...more,
})

const HOSTILE = [
  `<script>alert(1)</script><image href="http://evil.example/x.png"/>`,
  `"]]><!ENTITY x SYSTEM "file:///etc/passwd">&x;&#0;`,
  "\u0000\u0007\u001b[31m\u202egnp.exe\u2028\uFFFE\uFFFF\uD800",
  "漢字仮名".repeat(200),
  "x".repeat(100_000),
  "line\n".repeat(500),
]

describe("the image of a chain of causes", () => {
  it("says each event, and whether it is recorded or inferred by which rule", () => {
    const { texts } = parsed(drawChain(ofFailure(why())))
    expect(texts).toEqual([
      "Task task-0015",
      "Failed after 6 steps (“There is no boiler any more.”); boiler/heat failed (@12).",
      ...["ended", "@14", "failed: There is no boiler any more.", "recorded"],
      ...["failed here", "@12", "boiler/heat {} failed with PluginExited", "recorded"],
      ...["decided here", "@9", "daredevil chose heat", "inferred by values"],
      "Inferred by values: a value of the call occurs in it.",
    ])
  })

  it.each(HOSTILE)("stays an image that loads nothing, whatever its texts are: %#", (text) => {
    const rule = { basis: "inferred", rule: text } as const
    const link = { position: 1, role: "suspect", says: text, ...rule } as const
    const svg = drawChain(ofFailure(why({ taskId: text, sentence: text, chain: [link], rules: { [text]: text } })))
    const { names, texts } = parsed(svg)
    expect(names.filter((name) => !name.startsWith("@"))).toEqual(
      ["circle", "desc", "rect", "svg", "text", "title"].sort(),
    )
    expect(names.filter((name) => /href|^@on|style/i.test(name))).toEqual([])
    expect(texts.join("")).not.toMatch(/\p{Cc}|\u202e|\u2028/u)
    for (const line of texts) expect(line.length).toBeLessThanOrEqual(98)
    expect(svg.length).toBeLessThan(50_000)
  })

  it("leaves out what is too much, and says how much, and that nothing is behind an event", () => {
    const link = { position: 1, heading: "", says: "again", bad: false }
    const many: ChainPicture = { title: "t", sentence: "", links: Array(MAX_LINKS + 3).fill(link), rules: {} }
    expect(parsed(drawChain(many)).texts).toContain("… and 3 more events")
    expect(parsed(drawChain({ ...many, links: [] })).texts).toContain("No event is behind it.")
  })
})
