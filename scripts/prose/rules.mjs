/**
 * Rules of `npm run check:prose` that no published linter has: the glossary's words, and sentences that open without a
 * noun. Each is a textlint rule for Markdown's text nodes, so code does not count.
 */

/** Words to avoid, with their replacement. */
export const TERMS = [
  [/\banew\b/gi, "again"],
  [/\bhitherto\b/gi, "until now"],
  [/\b(?:thereby|thereof|therein|wherein|whereof|whereby)\b/gi, "a clause with a subject"],
  [/\bwhilst\b/gi, "while"],
  [/\bbeside\b/gi, "next to"],
  [/\blikewise\b/gi, "in the same way"],
  [/\b(?:go|goes|going|gone|went) on with\b/gi, "continue"],
  [/\b(?:is|are) to be (?:\w+ed|made|done|found|read|seen|kept|taken|given|shown)\b/gi, "must, or the imperative"],
  [/\bback ?offs?\b/gi, "back-off"],
  [/\bsubagents?\b/gi, "sub-agent"],
  [/\bconfirmation prompts?\b/gi, "confirmation"],
  [/\bJavascript\b/g, "JavaScript"],
  [/\bTypescript\b/g, "TypeScript"],
  [/\bPostgres\b/g, "PostgreSQL"],
  [/\bNode\.?JS\b(?!\/)/gi, "Node"],
]

/** Openings that make readers search for the noun: "What is followed is …", "Known are …". */
const OPENINGS = [
  /^(?:What|Whatever|Whoever|Whichever) (?:is|was|are|were|has|had|it|they|a|an|the|one|somebody|people)\b/,
  /^(?:Known|Recorded|Shown|Kept|Left|Found|Listed|Counted|Compared|Given|Told|Meant) (?:is|are|was|were)\b/,
]

/** Questions may open so. */
export const opensWithoutNoun = (sentence) =>
  !sentence.trimEnd().endsWith("?") && OPENINGS.some((opening) => opening.test(sentence))

const isWithin = (node, type) => {
  for (let parent = node.parent; parent; parent = parent.parent) if (parent.type === type) return true
  return false
}

export const terms = (context) => {
  const { Syntax, RuleError, report, getSource, locator } = context
  return {
    [Syntax.Str](node) {
      if (isWithin(node, Syntax.Link) || isWithin(node, Syntax.BlockQuote)) return
      const text = getSource(node)
      for (const [pattern, instead] of TERMS)
        for (const match of text.matchAll(pattern))
          report(
            node,
            new RuleError(`"${match[0]}": write "${instead}".`, {
              padding: locator.range([match.index, match.index + match[0].length]),
            }),
          )
    },
  }
}

export const openings = (context) => {
  const { Syntax, RuleError, report, getSource, locator } = context
  return {
    [Syntax.Paragraph](node) {
      if (isWithin(node, Syntax.BlockQuote)) return
      const text = getSource(node)
      for (const { index, sentence } of sentencesOf(text))
        if (opensWithoutNoun(sentence))
          report(
            node,
            new RuleError(`"${sentence.slice(0, 40)} …" opens without a noun: name the thing, then say what it does.`, {
              padding: locator.range([index, index + sentence.length]),
            }),
          )
    },
  }
}

/**
 * A paragraph's sentences with their positions. A full stop within a word or before a small letter ends no sentence.
 */
export const sentencesOf = (text) =>
  [...text.matchAll(/[^\s](?:[^.!?]|[.!?](?!\s+[A-Z"`*[]|\s*$))*[.!?]*/g)].map((match) => ({
    index: match.index,
    sentence: match[0].replaceAll(/\s+/g, " "),
  }))
