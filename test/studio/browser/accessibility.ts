/** What axe finds wrong in a page (WCAG 2.2, levels A and AA, and its best practices). */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const AXE = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** The rules that are broken, each with its first elements. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(AXE)
  return page.evaluate(
    `axe.run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(" | ")))`,
  )
}

/** The same in the light and in the dark. */
export const violationsInBothSchemes = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violations(page)).map((violation) => `${colorScheme}: ${violation}`))
  }
  return found
}
