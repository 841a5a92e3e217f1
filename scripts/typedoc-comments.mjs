/**
 * A TypeDoc plugin, loaded by `typedoc.json`, that finds this repository's comments:
 *
 * - a namespace (`export * as Lease from …`) has its module's opening comment;
 * - a schema and the type of its values share a name and a comment.
 *
 * These need no comment: functions in constants, functions in types that an entry names but does not export, and
 * functions named by a symbol.
 */
import { Comment, Converter, ReflectionKind, TypeScript as ts } from "typedoc"

const OPENING = /^(?:#!.*\n)?\/\*\*([\s\S]*?)\*\//
const NOT_EXPORTED = "Types that are not exported"

const openingComment = (file) =>
  (OPENING.exec(file.text)?.[1] ?? "")
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, ""))
    .filter((line) => !line.startsWith("@"))
    .join("\n")
    .trim()

const commentOf = (text) => new Comment([{ kind: "text", text }])

const isBelow = (reflection, holds) => {
  for (let parent = reflection.parent; parent !== undefined; parent = parent.parent) if (holds(parent)) return true
  return false
}

/** A function property without a comment, which TypeDoc treats as a method. */
const isUndocumentedFunction = (reflection) =>
  reflection.kindOf(ReflectionKind.Property) &&
  !reflection.hasComment() &&
  reflection.type?.declaration?.signatures !== undefined

const needsNoComment = (reflection) =>
  isUndocumentedFunction(reflection) &&
  (reflection.name.startsWith("[") ||
    isBelow(
      reflection,
      (parent) => parent.kindOf(ReflectionKind.Variable) || parent.name === NOT_EXPORTED || parent.name.startsWith("["),
    ))

export const load = (app) => {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, (context, reflection) => {
    if (reflection.comment !== undefined || !reflection.kindOf(ReflectionKind.Namespace)) return
    const file = context.getSymbolFromReflection(reflection)?.declarations?.find(ts.isSourceFile)
    if (file !== undefined) reflection.comment = commentOf(openingComment(file))
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const reflection of Object.values(context.project.reflections)) {
      if (reflection.comment !== undefined || !reflection.kindOf(ReflectionKind.SomeType | ReflectionKind.Variable))
        continue
      const twin = reflection.parent?.children?.find(
        ({ name, comment }) => name === reflection.name && comment !== undefined,
      )
      reflection.comment = twin?.comment.clone()
    }
  })
  app.converter.on(Converter.EVENT_RESOLVE_END, (context) => {
    const names = Object.values(context.project.reflections).filter(needsNoComment)
    app.options.setValue("intentionallyNotDocumented", [...new Set(names.map((found) => found.getFullName()))])
  })
}
