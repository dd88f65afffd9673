/** Pictures of the course's own files in Markdown: `![words](media:id)`. */

export const OWN_PICTURE = 'media:'

export const ownPicture = (id: string, words: string) => `![${words.replace(/[[\]()\\]/g, ' ')}](${OWN_PICTURE}${id})`

/** Whether the text shows a file: then it is not offered as a download, too. */
export const showsPicture = (markdown: string, id: string) => markdown.includes(`](${OWN_PICTURE}${id})`)
