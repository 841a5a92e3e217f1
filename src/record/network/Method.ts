/** Puts functions in the place of methods of Node's own, for the rest of the process. */

/** A method, of which nothing is known. */
export type Method = (this: unknown, ...args: Array<unknown>) => unknown

/**
 * Puts a function in the place of a method, with the method's name and length. Nothing happens where there is no such method: a
 * later Node may have none.
 */
export const replace = (of: object, name: string, by: (original: Method) => Method): void => {
  const original: unknown = Reflect.get(of, name)
  if (!isMethod(original)) return
  const method = by(original)
  const { length } = original
  Object.defineProperties(method, { name: { value: name }, length: { value: length } })
  // What Node tells of a function, such as the promises of `util.promisify`, is in its properties.
  for (const key of Object.getOwnPropertySymbols(original)) Reflect.set(method, key, Reflect.get(original, key))
  Object.defineProperty(of, name, { value: method, configurable: true, writable: true, enumerable: isListed(of, name) })
}

const isMethod = (value: unknown): value is Method => typeof value === "function"

const isListed = (of: object, name: string): boolean => Object.getOwnPropertyDescriptor(of, name)?.enumerable ?? false

/** The names of an object's methods. */
export const namesOf = (of: object): ReadonlyArray<string> =>
  Object.getOwnPropertyNames(of).filter((name) => isMethod(Object.getOwnPropertyDescriptor(of, name)?.value))
