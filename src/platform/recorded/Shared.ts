/**
 * What all copies of this package in a process share: a program may import one, and another is loaded before it (`record/process/preload`),
 * which is bundled on its own.
 */

/**
 * Returns the process's value of a name, which the first copy makes.
 *
 * @param name with the number of its form, `network/1`: copies of other versions may be in the process
 */
export const shared = <A>(name: string, make: () => A): A => {
  const key = Symbol.for(`hindcast/${name}`)
  const known: A | undefined = Reflect.get(globalThis, key)
  if (known !== undefined) return known
  const made = make()
  Reflect.set(globalThis, key, made)
  return made
}
