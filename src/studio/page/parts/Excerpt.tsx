/** The text around the words of a search, which are marked. */
import type { SearchHit } from "../../wire/Search.ts"

export const Excerpt = ({ excerpt }: Pick<SearchHit, "excerpt">) => (
  <bdi class="excerpt">
    {excerpt.map(({ text, marked }, index) => (marked ? <mark key={index}>{text}</mark> : text))}
  </bdi>
)
