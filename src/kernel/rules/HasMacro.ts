/** Supports CEL's `has(e.f)` for any expression `e`. The library accepts only names and dots, as in `has(a.b.f)`. */

import type { ASTNode } from "@marcbachmann/cel-js"
import { childrenOf } from "./RuleDependencies.ts"

interface HasMacro {
  readonly args: ReadonlyArray<ASTNode>
  evaluate: (ev: Evaluator, macro: HasMacro, context: unknown) => unknown
  typeCheck: (checker: Checker, macro: HasMacro, context: unknown) => unknown
}

interface Evaluator {
  readonly run: (node: ASTNode, context: unknown) => unknown
}

interface Checker {
  readonly check: (node: ASTNode, context: unknown) => unknown
  readonly getType: (name: string) => unknown
}

/**
 * Runs before the check of a syntax tree: each `has` over an index, a call or a literal evaluates the part before its
 * last dot.
 */
export const extend = (node: ASTNode): void => {
  if (node.op === "call" && node.args[0] === "has") extendHas(node)
  for (const child of childrenOf(node.args)) extend(child)
}

const extendHas = (node: ASTNode & { readonly op: "call" }): void => {
  const [argument] = node.args[1]
  if (argument?.op !== "." || isChain(argument)) return
  const { macro } = (node as unknown as { readonly meta: { readonly macro?: HasMacro } }).meta
  if (macro === undefined) return
  const [of, name] = argument.args
  macro.typeCheck = (checker, _, context) => {
    checker.check(of, context)
    return checker.getType("bool")
  }
  macro.evaluate = (ev, _, context) => hasMember(ev.run(of, context), name)
}

const isChain = (node: ASTNode): boolean => node.op === "id" || (node.op === "." && isChain(node.args[0]))

const hasMember = (of: unknown, name: string): boolean =>
  typeof of === "object" && of !== null && (of instanceof Map ? of.has(name) : Object.hasOwn(of, name))
