/** `has(e.f)` of CEL, where `e` is any expression. The library takes names and dots only, as in `has(a.b.f)`. */

import type { ASTNode } from "@marcbachmann/cel-js"
import { childrenOf } from "./RuleDependencies.ts"

/** What the guard and the library have in common of a macro that is evaluated as it is. */
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

/** Before a syntax tree is checked: has every `has` over an index, a call or a literal evaluate what stands before its last dot. */
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

/** Whether a node is names and dots. */
const isChain = (node: ASTNode): boolean => node.op === "id" || (node.op === "." && isChain(node.args[0]))

const hasMember = (of: unknown, name: string): boolean =>
  typeof of === "object" && of !== null && (of instanceof Map ? of.has(name) : Object.hasOwn(of, name))
