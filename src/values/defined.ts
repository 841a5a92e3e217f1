/** `A` without members that are `undefined`; a member that can be `undefined` becomes optional. */
export type Defined<A> = {
  [K in keyof A as undefined extends A[K] ? never : K]: A[K]
} & { [K in keyof A as undefined extends A[K] ? K : never]?: Exclude<A[K], undefined> }

/**
 * Returns the members that have a value, for a spread: `{ type, ...defined({ cause, agent }) }` has no member `cause`
 * if `cause` is `undefined`.
 */
export const defined = <A extends object>(members: A): Defined<A> => {
  const present: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(members)) if (value !== undefined) present[name] = value
  return present as Defined<A>
}
