// Passkeys: adding one on its page of the settings, signing in with one.
'use strict';

(() => {
  const place = document.querySelector('[data-passkey]');
  if (!place) return;
  if (!window.PublicKeyCredential || !navigator.credentials) {
    const none = document.querySelector('.passkey-none');
    if (none) place.replaceWith(none), none.hidden = false;
    return;
  }
  const bytes = text => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0));
  const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const wrong = place.querySelector('.wrong');
  const button = place.querySelector('button');

  const account = place.elements?.account?.value; // for whom the page was made
  const ask = async (path, body) => {
    const answer = await fetch(path, {
      method: 'POST', credentials: 'same-origin', headers: { 'Content-Type': 'application/json', ...account && { 'Digest-Account': account } }, body: JSON.stringify(body),
    });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.error);
    return said;
  };
  const listed = list => (list || []).map(c => ({ ...c, id: bytes(c.id) }));

  const register = async name => {
    const { publicKey } = await ask('/passkeys/register/begin', {});
    publicKey.challenge = bytes(publicKey.challenge);
    publicKey.user.id = bytes(publicKey.user.id);
    publicKey.excludeCredentials = listed(publicKey.excludeCredentials);
    const made = await navigator.credentials.create({ publicKey });
    return ask('/passkeys/register/finish', {
      name,
      credential: {
        id: made.id, rawId: text(made.rawId), type: made.type, authenticatorAttachment: made.authenticatorAttachment || undefined,
        response: {
          clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject),
          transports: made.response.getTransports ? made.response.getTransports() : [],
        },
      },
    });
  };

  const signIn = async () => {
    const { publicKey } = await ask('/passkeys/sign-in/begin', {});
    publicKey.challenge = bytes(publicKey.challenge);
    publicKey.allowCredentials = listed(publicKey.allowCredentials);
    const used = await navigator.credentials.get({ publicKey });
    return ask('/passkeys/sign-in/finish', {
      id: used.id, rawId: text(used.rawId), type: used.type, authenticatorAttachment: used.authenticatorAttachment || undefined,
      response: {
        clientDataJSON: text(used.response.clientDataJSON), authenticatorData: text(used.response.authenticatorData),
        signature: text(used.response.signature), userHandle: used.response.userHandle ? text(used.response.userHandle) : undefined,
      },
    });
  };

  const act = async event => {
    event.preventDefault();
    button.disabled = true;
    wrong.hidden = true;
    try {
      const done = place.dataset.passkey === 'register' ? await register(place.elements.name.value) : await signIn();
      location.assign(done.to);
    } catch (err) {
      // Browsers say as little when it was cancelled as when there is none.
      wrong.textContent = {
        NotAllowedError: wrong.dataset.cancelled,
        InvalidStateError: wrong.dataset.known,
        TypeError: wrong.dataset.broken, // of fetch
      }[err.name] || err.message;
      wrong.hidden = false;
      button.disabled = false;
    }
  };
  place.addEventListener(place.dataset.passkey === 'register' ? 'submit' : 'click', event => {
    if (event.type === 'submit' || event.target === button) act(event);
  });
  place.hidden = false;
})();
