/** Made by scripts/build-chat.mjs from chat/page/, so that the server is one file. */
declare module 'chat:page' {
  export const markup: string;
  export const style: string;
  export const script: string;
}
