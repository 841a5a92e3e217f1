/** Reads the system prompts that guides keep in files. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type ManifestIssue, promptIssue } from "./characterChecks.ts"
import type { Manifest } from "./schema.ts"

/** A manifest with the prompts of its guides filled in. */
export interface GuideFiles {
  /** Undefined if there are issues. */
  readonly manifest: Manifest | undefined
  readonly issues: ReadonlyArray<ManifestIssue>
}

/**
 * Replaces the path of each guide's file by the file's text. The files must exist.
 *
 * @param trusted skips checks of the text that the import already made
 */
export const read = async (root: string, manifest: Manifest, trusted: boolean): Promise<GuideFiles> => {
  if (manifest.guides === undefined) return { manifest, issues: [] }
  const issues: Array<ManifestIssue> = []
  const guides = await Promise.all(
    manifest.guides.map(async ({ file, ...guide }, index) => {
      if (file === undefined) return guide
      const text = await fs.readFile(path.join(root, file), "utf8")
      const pointer = `/guides/${index}/file`
      const issue =
        text.trim() === ""
          ? { path: pointer, expected: "a file with text", found: "an empty one" }
          : trusted
            ? undefined
            : promptIssue(pointer, text)
      if (issue !== undefined) issues.push(issue)
      return { ...guide, systemPrompt: text }
    }),
  )
  return { manifest: issues.length === 0 ? { ...manifest, guides } : undefined, issues }
}
