// An authorisation server for the walk: one person, one button, and tokens for one hour.
//
//     node issuer.mjs RESOURCE [PORT]
//
// Prints its address, whose host is `localhost`: for a browser, another site than a gateway at 127.0.0.1.
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { createServer } from "node:http";

const resource = process.argv[2];
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const codes = new Map();
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(claims) {
  const now = Math.floor(Date.now() / 1000);
  const message = `${encoded({ alg: "EdDSA", kid: "1" })}.${encoded({ iss: url, sub: "ada", iat: now, exp: now + 3600, ...claims })}`;
  return `${message}.${sign(null, Buffer.from(message), privateKey).toString("base64url")}`;
}

async function formOf(request) {
  let body = "";
  for await (const chunk of request) body += chunk;
  return new URLSearchParams(body);
}

const server = createServer(async (request, response) => {
  const { pathname, search, searchParams } = new URL(request.url, url);
  const json = (status, value) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (pathname === "/.well-known/openid-configuration") {
    json(200, { issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, code_challenge_methods_supported: ["S256"] });
  } else if (pathname === "/keys") {
    json(200, { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "1", use: "sig" }] });
  } else if (pathname === "/authorize" && request.method === "GET") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>Issuer</title><form method="post" action="${search.replaceAll("&", "&amp;")}"><button>Sign in as Ada</button></form>`);
  } else if (pathname === "/authorize") {
    const code = randomUUID();
    codes.set(code, { challenge: searchParams.get("code_challenge"), nonce: searchParams.get("nonce"), redirect: searchParams.get("redirect_uri") });
    const back = new URL(searchParams.get("redirect_uri"));
    back.searchParams.set("code", code);
    back.searchParams.set("state", searchParams.get("state"));
    response.writeHead(303, { location: back.href }).end();
  } else if (pathname === "/token") {
    const form = await formOf(request);
    const issued = codes.get(form.get("code"));
    codes.delete(form.get("code"));
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "").digest("base64url");
    if (!issued || issued.challenge !== challenge || issued.redirect !== form.get("redirect_uri")) return json(400, { error: "invalid_grant" });
    json(200, { token_type: "Bearer", access_token: token({ aud: resource }), id_token: token({ aud: form.get("client_id"), nonce: issued.nonce }) });
  } else {
    json(404, {});
  }
});
let url;
server.listen(Number(process.argv[3] ?? 0), "localhost", () => {
  url = `http://localhost:${server.address().port}`;
  console.log(url);
});
