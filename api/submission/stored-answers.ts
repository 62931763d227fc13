import { tooMuchOfToken } from '../http/pages/openapi-schemas.ts'

/** Outcomes of a stored publish other than success. Contract 3. */
export const storedAnswers: Readonly<Record<number, string>> = {
  202: 'Still being built: see the job in Location',
  409: 'The name is taken, or another publish is writing it',
  410: 'The packet of the job was replaced or has expired, and is gone',
  413: 'The body, the packet or one pair is too large',
  422: 'The address is not allowed here, the origin lacks the database, or its data cannot be published',
  502: 'The origin could not be reached, refused the credentials, is behind the bookmarks or broke off',
  504: 'The job exceeded its time limit',
}

/** The answers of the request that submits the publish. */
export const submittedAnswers: Readonly<Record<number, string>> = {
  ...storedAnswers,
  429: `${tooMuchOfToken}, or too many unfinished publishes of this org`,
}
