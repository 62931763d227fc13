/** A value or name that the importer would drop, change or refuse. The message says what it is: `an empty list`. */
export class NotCarried extends Error {}
