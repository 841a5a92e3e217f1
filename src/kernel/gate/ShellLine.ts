/**
 * Reads the commands in a line of a POSIX shell without running anything. A rule that allows commands may trust the
 * result only if `isWhole`: a program can hide commands in a variable, a file or an interpreter.
 */

export interface ShellLine {
  /** Each simple command: its words without quotes, joined by one space, without preceding assignments. */
  readonly commands: ReadonlyArray<string>
  /** Whether the line has no other commands. */
  readonly isWhole: boolean
  readonly writes: boolean
}

const LONGEST = 100_000

/** Maximum depth of substitutions and of shells within shells. */
const DEEPEST = 8

export const read = (line: string): ShellLine => {
  if (line.length > LONGEST) return { commands: [], isWhole: false, writes: false }
  const reader = new Reader(line, 0)
  reader.readAll()
  return { commands: reader.commands, isWhole: reader.isWhole, writes: reader.writes }
}

/** Words that may precede a command; the rest of the line is a command of its own. */
const KEYWORDS = new Set(["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "time", "!", "{", "}"])

/** Words that start something other than commands: the line is not read whole. */
const COMPOUND = new Set(["case", "esac", "function", "in", "[[", "coproc"])

/** `for NAME in WORDS`: the commands come after its `do`. */
const LOOPS = new Set(["for", "select"])

/** Programs that run a command among their arguments, with a pattern of their options that take a value. */
const WRAPPERS: ReadonlyMap<string, RegExp> = new Map([
  ["sudo", /^-[ughpCDRrt]$/],
  ["doas", /^-[uC]$/],
  ["env", /^-[uCS]$/],
  ["command", /^$/],
  ["builtin", /^$/],
  ["exec", /^-a$/],
  ["nohup", /^$/],
  ["setsid", /^$/],
  ["time", /^-[fo]$/],
  ["nice", /^-n$/],
  ["ionice", /^-[cnp]$/],
  ["stdbuf", /^-[ioe]$/],
  ["timeout", /^-[ks]$/],
  ["xargs", /^-[IdEnLPsa]$/],
])

const SHELLS = /^(?:.*\/)?(?:ba|da|z|k|a)?sh$/

/** Programs that run something that the line does not show. */
const DYNAMIC = new Set(["eval", "source", "."])

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/

interface Word {
  readonly text: string
  /** Whether the program receives the text as written, without expansion. */
  readonly isPlain: boolean
}

class Reader {
  readonly commands: Array<string> = []
  isWhole = true
  writes = false
  readonly line: string
  readonly depth: number
  #at = 0

  constructor(line: string, depth: number) {
    this.line = line
    this.depth = depth
    if (depth > DEEPEST) this.isWhole = false
  }

  readAll(): void {
    if (this.depth > DEEPEST) return
    let words: Array<Word> = []
    const end = () => {
      this.#command(words)
      words = []
    }
    while (this.#at < this.line.length) {
      const one = this.line[this.#at] ?? ""
      if (/^(?:&>|\d*[<>])/.test(this.line.slice(this.#at, this.#at + 12))) this.#redirection()
      else if (one === "\n" || one === ";" || one === "&" || one === "|") {
        end()
        this.#at++
      } else if (one === "(" || one === ")") {
        // Commands of a subshell are read like the others. The definition of a function ends up here too.
        if (words.length > 0 && one === "(") this.isWhole = false
        end()
        this.#at++
      } else if (/\s/.test(one)) this.#at++
      else if (this.line.startsWith("\\\n", this.#at)) this.#at += 2
      else if (one === "#") while (this.#at < this.line.length && this.line[this.#at] !== "\n") this.#at++
      else words.push(this.#word())
    }
    end()
  }

  /** `>file`, `2>&1`, `<file`, `<<EOF`, `<(command)`. */
  #redirection(): void {
    const [written = ""] = /^(?:&>>?|\d*(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>))/.exec(this.line.slice(this.#at)) ?? []
    this.#at += written.length
    if (this.line[this.#at] === "(" || written.includes("<<")) {
      this.isWhole = false
      return
    }
    while (/[ \t]/.test(this.line[this.#at] ?? "")) this.#at++
    const { text, isPlain } = this.#word()
    const isHarmless =
      /^\d*<$/.test(written) || text === "/dev/null" || (written.endsWith("&") && /^[\d-]+$/.test(text))
    if (!isHarmless || (!isPlain && written !== "<")) this.writes = true
  }

  #word(): Word {
    let text = ""
    let isPlain = true
    const begin = this.#at
    while (this.#at < this.line.length) {
      const one = this.line[this.#at] ?? ""
      if (/[\s;&|()<>]/.test(one)) break
      if (one === "'") {
        const end = this.line.indexOf("'", this.#at + 1)
        text += this.line.slice(this.#at + 1, end < 0 ? undefined : end)
        if (end < 0) isPlain = this.isWhole = false
        this.#at = end < 0 ? this.line.length : end + 1
      } else if (one === '"') {
        const quoted = this.#quoted()
        text += quoted.text
        isPlain &&= quoted.isPlain
      } else if (one === "\\") {
        const escaped = this.line[this.#at + 1] ?? ""
        if (escaped !== "\n") text += escaped
        this.#at += 2
      } else if (one === "$" || one === "`") {
        text += this.#expansion()
        isPlain = false
      } else {
        // A file pattern, a list or a home directory expands to other words.
        if (/[*?[{~]/.test(one)) isPlain = false
        text += one
        this.#at++
      }
    }
    if (this.#at === begin) this.#at++
    return { text, isPlain }
  }

  #quoted(): Word {
    let text = ""
    let isPlain = true
    this.#at++
    while (this.#at < this.line.length) {
      const one = this.line[this.#at] ?? ""
      if (one === '"') {
        this.#at++
        return { text, isPlain }
      }
      if (one === "\\") {
        const escaped = this.line[this.#at + 1] ?? ""
        text += /[$`"\\\n]/.test(escaped) ? escaped.trim() : `\\${escaped}`
        this.#at += 2
      } else if (one === "$" || one === "`") {
        text += this.#expansion()
        isPlain = false
      } else {
        text += one
        this.#at++
      }
    }
    this.isWhole = false
    return { text, isPlain: false }
  }

  /** `$NAME`, `${NAME}`, `$(command)`, `` `command` ``. Reads the commands within. */
  #expansion(): string {
    const begin = this.#at
    const rest = this.line.slice(begin)
    if (rest.startsWith("$((")) {
      this.isWhole = false
      this.#at += 3
    } else if (rest.startsWith("$(")) {
      const end = closing(this.line, begin + 2)
      this.#within(this.line.slice(begin + 2, end))
      this.#at = end + 1
    } else if (rest.startsWith("`")) {
      const end = this.line.indexOf("`", begin + 1)
      if (end < 0) this.isWhole = false
      this.#within(this.line.slice(begin + 1, end < 0 ? undefined : end))
      this.#at = end < 0 ? this.line.length : end + 1
    } else if (rest.startsWith("${")) {
      const end = this.line.indexOf("}", begin)
      if (end < 0 || !/^\w+$/.test(this.line.slice(begin + 2, end))) this.isWhole = false
      this.#at = end < 0 ? this.line.length : end + 1
    } else if (/^\$'/.test(rest)) {
      this.isWhole = false
      this.#at += 1
    } else {
      const [name = "$"] = /^\$(?:\w+|[?!#@*$-])?/.exec(rest) ?? []
      this.#at += name.length
    }
    return this.line.slice(begin, this.#at)
  }

  #within(line: string): void {
    const inner = new Reader(line, this.depth + 1)
    inner.readAll()
    this.commands.push(...inner.commands)
    this.isWhole &&= inner.isWhole
    this.writes ||= inner.writes
  }

  #command(written: ReadonlyArray<Word>): void {
    let words = written
    while (words[0] !== undefined && (KEYWORDS.has(words[0].text) || ASSIGNMENT.test(words[0].text)))
      words = words.slice(1)
    const [first] = words
    if (first === undefined) {
      // A variable that is set for later commands changes them: `PATH=.; ls`.
      if (written.some(({ text }) => ASSIGNMENT.test(text))) this.isWhole = false
      return
    }
    if (
      written.length !== words.length &&
      written.some(({ text }) =>
        /^(?:PATH|LD_\w+|DYLD_\w+|IFS|BASH_ENV|ENV|NODE_OPTIONS|PYTHONPATH|GIT_\w+)\+?=/.test(text),
      )
    ) {
      this.isWhole = false
    }
    if (LOOPS.has(first.text)) return
    this.commands.push(words.map(({ text }) => text).join(" "))
    const name = first.text.replace(/^.*\//, "")
    if (!first.isPlain || DYNAMIC.has(name) || COMPOUND.has(first.text)) this.isWhole = false
    const takesValue = WRAPPERS.get(name)
    if (takesValue !== undefined) this.#wrapped(name, words.slice(1), takesValue)
    else if (SHELLS.test(first.text)) this.#shell(words.slice(1))
  }

  /** `sudo -u root COMMAND`, `timeout 5 COMMAND`, `env A=1 COMMAND`. */
  #wrapped(name: string, given: ReadonlyArray<Word>, takesValue: RegExp): void {
    let left = given
    while (left[0] !== undefined && /^-/.test(left[0].text)) left = left.slice(takesValue.test(left[0].text) ? 2 : 1)
    if (name === "timeout") left = left.slice(1)
    if (left.length > 0) this.#command(left)
  }

  /** Reads the text of `bash -c 'COMMANDS'`. The commands of `bash file` stay hidden. */
  #shell(given: ReadonlyArray<Word>): void {
    const at = given.findIndex(({ text }) => /^-\w*c$/.test(text))
    const text = at < 0 ? undefined : given[at + 1]
    if (text?.isPlain === true) this.#within(text.text)
    else this.isWhole = false
  }
}

const closing = (line: string, from: number): number => {
  let depth = 1
  let quote = ""
  for (let at = from; at < line.length; at++) {
    const one = line[at] ?? ""
    if (one === "\\" && quote !== "'") at++
    else if (quote !== "") quote = one === quote ? "" : quote
    else if (one === "'" || one === '"') quote = one
    else if (one === "(") depth++
    else if (one === ")" && --depth === 0) return at
  }
  return line.length
}
