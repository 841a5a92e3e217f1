/**
 * `node scripts/commit-msg.mjs FILE`: checks a commit message, as Git's hook `commit-msg`.
 * `git config core.hooksPath scripts/hooks` installs the hook in a clone.
 */
import { readFileSync } from "node:fs"

const MOST = 72
const LEAST = 12

/** Verbs that look like participles. */
const VERBS = new Set(["Bring", "Embed", "Feed", "Ping", "Shed", "Speed"])

/** Mistakes in a commit message, if any. Lines that start with `#` are Git's own. */
export const wrongIn = (message) => {
  const [subject = "", second = ""] = message
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .map((line) => line.trimEnd())
  // Git writes these subjects.
  if (/^(?:Merge|Revert|fixup!|squash!|amend!) /.test(subject)) return []
  const [first = ""] = subject.split(" ")
  return [
    ...(subject.length > MOST ? [`the subject has ${subject.length} characters; at most ${MOST} fit`] : []),
    ...(subject.length < LEAST ? [`the subject has ${subject.length} characters; expected at least ${LEAST}`] : []),
    ...(/^[A-Z]/.test(subject) ? [] : ["the subject begins with a small letter; expected a verb with a capital one"]),
    ...(/[.;:,]$/.test(subject) ? [`the subject ends with "${subject.at(-1)}"; expected none`] : []),
    ...(/^(?:The|A|An|It|This|There|What|When|If)$/.test(first) || (/(?:ed|ing)$/.test(first) && !VERBS.has(first))
      ? [`the subject begins with "${first}"; expected an imperative: "Fix …", "Add …", "Keep …"`]
      : []),
    ...(second === "" ? [] : ["the second line is not empty"]),
  ]
}

const [, , file] = process.argv
if (file !== undefined) {
  const wrong = wrongIn(readFileSync(file, "utf8"))
  for (const reason of wrong) console.error(`commit-msg: ${reason}.`)
  if (wrong.length > 0) {
    console.error(
      "The commit was not made. Your message is in .git/COMMIT_EDITMSG: git commit --edit --file .git/COMMIT_EDITMSG",
    )
    process.exitCode = 1
  }
}
