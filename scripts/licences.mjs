/** The licences of bundled packages, which must accompany every copy. */
import * as fs from "node:fs/promises"
import * as path from "node:path"

const FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i

/**
 * All licences as one text, by package and version. A package without a licence file has the name in its
 * `package.json`.
 *
 * @param inputs the bundle's modules, relative to the working directory
 */
export const licencesOf = async (inputs) => {
  const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []))
  const sections = await Promise.all(
    [...packages].map(async (directory) => {
      const { name, version, license, repository } = JSON.parse(
        await fs.readFile(path.join(directory, "package.json"), "utf8"),
      )
      if (license === undefined) throw new Error(`${directory}: expected a licence in its package.json, found none`)
      const files = (await fs.readdir(directory)).filter((file) => FILE.test(file)).sort()
      const texts = await Promise.all(files.map((file) => fs.readFile(path.join(directory, file), "utf8")))
      const from = typeof repository === "string" ? repository : repository?.url
      return [`${name} ${version} (${license})`, ...(texts.length > 0 ? texts : [from ?? ""])]
        .map((text) => text.trim())
        .join("\n\n")
    }),
  )
  const rule = `\n\n${"-".repeat(80)}\n\n`
  return `What stands beside this file contains code of these packages.${rule}${sections.sort().join(rule)}\n`
}
