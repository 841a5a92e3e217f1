/**
 * The format of a shared file: the page and its data as one HTML document that opens from disk. A `<template>` holds
 * each answer that the page would ask the server for, compressed by gzip and encoded in base64.
 */

/** The attribute of the body of a page that its host tells what to show (`AppAnswers`). */
export const APP = "data-app"

/** The contents of a task's resource for such a page, as JSON. */
export interface AppAnswers {
  /** By question, as in a template. */
  readonly answers: { readonly [question: string]: string }
  /** The address at which the page begins. */
  readonly start: string
}

/** The attribute with a template's question. */
export const QUESTION = "data-question"

/** A question as text: the path, and the parameters sorted by name. */
export const questionOf = (
  path: string,
  parameters: { readonly [name: string]: string | number | null | undefined },
): string => {
  const given = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
  return given.length === 0 ? path : `${path}?${given.sort().join("&")}`
}
