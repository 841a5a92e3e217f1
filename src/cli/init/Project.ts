/** The files of a new project, from the template and what its user chose. Pure, but for reading the template. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { Provider } from "../../agents/models/providers/Provider.ts"
import { inPackage } from "../command/PackageFiles.ts"

/** The gate's answer to calls that pay money: a person is asked, or they run. */
export const DECISIONS = ["ask", "allow"] as const

export interface Choice {
  readonly name: string
  /** A model's name, and its provider; undefined for the recorded answers. */
  readonly model: { readonly name: string; readonly provider: Provider } | undefined
  readonly gate: (typeof DECISIONS)[number]
  /** The dependency on this package, as npm writes it. */
  readonly hindcast: string
}

/** The texts of the project's files, by name. */
export const files = (choice: Choice): ReadonlyMap<string, string> => {
  const template = inPackage("template", "project")
  const names = fs.readdirSync(template, { recursive: true, encoding: "utf8" }).sort()
  const found = new Map<string, string>()
  for (const name of names) {
    const file = path.join(template, name)
    if (fs.statSync(file).isDirectory()) continue
    // npm leaves a `.gitignore` out of a package.
    const target = name === "gitignore" ? ".gitignore" : name.split(path.sep).join("/")
    found.set(target, edited(target, fs.readFileSync(file, "utf8"), choice))
  }
  return found
}

const NAME = "my-agent"

const edited = (file: string, text: string, { name, model, gate, hindcast }: Choice): string => {
  switch (file) {
    case "README.md":
      return readme(text.replace(NAME, name), model !== undefined, gate)
    case "package.json": {
      const project = JSON.parse(text)
      const provider = model === undefined ? {} : { [model.provider.package]: `^${model.provider.major}.0.0` }
      const dependencies = Object.entries({ ...provider, hindcast, ...project.dependencies })
      const sorted = Object.fromEntries(dependencies.sort(([one], [other]) => (one < other ? -1 : 1)))
      return `${JSON.stringify({ ...project, name, dependencies: sorted }, null, 2)}\n`
    }
    case "agent.ts":
      return model === undefined ? text : text.replace(RECORDED, JSON.stringify(model.name))
    case "agent.test.ts":
      return gate === "ask" ? text : text.replace(ASKED, "[]").replace("asks before it pays", "pays without asking")
    case "hindcast.gate.yaml":
      return gate === "ask" ? text : text.replace("decision: confirm\n", "decision: allow\n").replace(REASON, "")
    default:
      return text
  }
}

const readme = (text: string, hasModel: boolean, gate: Choice["gate"]): string => {
  const decided = gate === "ask" ? text : text.replace(", and asks you before it pays money back", "")
  return hasModel ? decided.replace(WITHOUT_MODEL, "") : decided
}

const WITHOUT_MODEL = /\n {2}Without a model, it plays recorded answers[^\n]*/

const RECORDED = "(await recorded())"

const ASKED = '["program/refund"]'

const REASON = "    reason: Money leaves the house\n"
