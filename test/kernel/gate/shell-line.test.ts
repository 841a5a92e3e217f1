// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are lines of a shell
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as ShellLine from "../../../src/kernel/gate/ShellLine.ts"

const whole = (line: string) => {
  const { commands, isWhole } = ShellLine.read(line)
  expect(isWhole, line).toBe(true)
  return commands
}

describe("the commands in a line of a shell", () => {
  it.each([
    ["git status", ["git status"]],
    ["cd . && git log | head -5; ls & pwd", ["cd .", "git log", "head -5", "ls", "pwd"]],
    ["npm test -- --grep 'a b'", ["npm test -- --grep a b"]],
    ['echo "say \\"hi\\"" \\\n  there', ['echo say "hi" there']],
    ["echo hi # rm -rf /", ["echo hi"]],
    ["A=1 B=2 node a.js 2>&1 >/dev/null <in.txt", ["node a.js"]],
    ["if test -f a; then cat a; else ls; fi", ["test -f a", "cat a", "ls"]],
    ["for f in *.ts $(ls a); do wc -l $f; done", ["ls a", "wc -l $f"]],
    ["(cd a; rm b)", ["cd a", "rm b"]],
    ['echo "$HOME" ${X}', ["echo $HOME ${X}"]],
    ["sudo -u root rm -rf /", ["sudo -u root rm -rf /", "rm -rf /"]],
    ["timeout -k 1 5 npm test", ["timeout -k 1 5 npm test", "npm test"]],
    ["ls | xargs -n 1 rm", ["ls", "xargs -n 1 rm", "rm"]],
    ["bash -lc 'git push; ls'", ["git push", "ls"]],
    ["/usr/bin/env A=1 rm x", ["/usr/bin/env A=1 rm x", "rm x"]],
  ])("are found in %s", (line, commands) => {
    expect([...whole(line)].sort()).toEqual(expect.arrayContaining(commands))
  })

  it.each([
    ["echo $(rm a; date)", ["rm a", "date"]],
    ["echo `rm a`", ["rm a"]],
    ['echo "x $(cat b)"', ["cat b"]],
    ["echo $(echo $(rm a))", ["rm a"]],
  ])("are found in what %s replaces", (line, commands) => {
    expect(whole(line)).toEqual(expect.arrayContaining(commands))
  })

  it.each([
    "cat <<EOF\nrm\nEOF",
    "diff <(ls) <(rm a)",
    "eval rm",
    "$CMD a",
    '"$(which rm)" a',
    "source a.sh",
    ". ./a.sh",
    "bash a.sh",
    'bash -c "$X"',
    "sh",
    "case $X in a) rm b;; esac",
    "echo 'open",
    'echo "open',
    "echo $((1+1))",
    "echo ${A:-$(rm a)}",
    "PATH=. ls",
    "X=1",
    "r? a",
    "f() { rm a; }",
    `echo ${"$(".repeat(20)}rm${")".repeat(20)}`,
    "x".repeat(100_001),
  ])("are not all known in %s", (line) => {
    expect(ShellLine.read(line).isWhole).toBe(false)
  })

  it.each([
    "echo x > ~/.bashrc",
    "echo x >> a",
    "echo x &> a",
    "echo $(ls > a)",
    'echo x > "$F"',
    "ls 2> a",
    "echo x >&a",
  ])("are all known in %s, which writes a file", (line) => {
    expect(ShellLine.read(line)).toMatchObject({ isWhole: true, writes: true })
  })

  it.each(["ls > /dev/null", "ls 2>&1", "cat < a", "ls 2>/dev/null >&2", "cat <$F"])(
    "are all known in %s, which writes none",
    (line) => {
      expect(ShellLine.read(line)).toMatchObject({ isWhole: true, writes: false })
    },
  )

  it("are read of any text, in an end that comes", () => {
    const piece = fc.constantFrom(
      "rm",
      " ",
      "'",
      '"',
      "\\",
      "$(",
      ")",
      "`",
      ";",
      "|",
      "&",
      "<",
      ">",
      "\n",
      "${",
      "}",
      "#",
      "a",
      "1",
      "=",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { commands } = ShellLine.read(pieces.join(""))
        expect(commands.every((command) => typeof command === "string")).toBe(true)
      }),
    )
  })

  it("contain each command between separators, whatever is quoted beside it", () => {
    const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abc $;|&<>()#"`\\') })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), (words) => {
        const quoted = words.map((text) => `'${text}'`).join(" ")
        expect(whole(`echo ${quoted}; rm a`)).toEqual([["echo", ...words].join(" "), "rm a"])
      }),
    )
  })
})
