import { setupServer } from 'msw/node';

/** Answers in the server's place. A test names what it expects to be asked; anything else fails it. */
export const server = setupServer();
