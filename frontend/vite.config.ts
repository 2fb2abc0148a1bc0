import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Where `npm run dev` finds the API: the address `make run` prints. */
const server = process.env['LEADLINE_DEV_SERVER'] ?? 'http://127.0.0.1:8427';
const proxied = ['/api', '/prometheus', '/healthz', '/readyz'];

export default defineConfig({
  plugins: [react()],
  resolve: { tsconfigPaths: true },
  // The server takes a sign-in only from its own address, so that is what it is told.
  server: {
    proxy: Object.fromEntries(
      proxied.map((path) => [path, { target: server, changeOrigin: true, headers: { Origin: server } }]),
    ),
  },
  build: { target: 'es2023', sourcemap: true, chunkSizeWarningLimit: 700 },
});
