"""Django's settings. Everything from outside is read here, once, through backend.environment."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from backend import logs
from backend.environment import Environment

_env = Environment()

# --- what the environment says ---
SECRET_KEY = _env.secret("SECRET_KEY", shortest=32)
ENCRYPTION_KEYS = _env.fernet_keys("ENCRYPTION_KEYS")
PUBLIC_URL = _env.url("PUBLIC_URL")
VICTORIAMETRICS_URL = _env.url("VICTORIAMETRICS_URL")
VMAUTH_URL = _env.url("VMAUTH_URL")
VMAUTH_CONFIG = _env.path("VMAUTH_CONFIG")
DJANGO_URL = _env.url("DJANGO_URL")
ASGI_URL = _env.url("ASGI_URL")
FRONTEND_DIST = _env.path(
    "FRONTEND_DIST", str(Path(__file__).resolve().parent.parent / "frontend" / "dist")
)
LOG_LEVEL = _env.choice("LOG_LEVEL", ("debug", "info", "warning", "error"), "info")
REDIS_HOST = _env.text("REDIS_HOST")
REDIS_PORT = _env.port("REDIS_PORT")
REDIS_PASSWORD = _env.secret("REDIS_PASSWORD")
REDIS_URL = f"redis://:{quote(REDIS_PASSWORD, safe='')}@{REDIS_HOST}:{REDIS_PORT}/0"
DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": _env.text("DATABASE_HOST"),
        "PORT": _env.port("DATABASE_PORT"),
        "NAME": _env.text("DATABASE_NAME"),
        "USER": _env.text("DATABASE_USER"),
        "PASSWORD": _env.secret("DATABASE_PASSWORD"),
        "OPTIONS": {
            "application_name": "leadline",
            "connect_timeout": 5,
            # A request waits `timeout` seconds for a connection before it fails with a 503.
            "pool": {"min_size": 0, "max_size": 10, "timeout": 5, "max_idle": 60},
        },
    },
}

# --- how it is reached ---
_public = urlsplit(PUBLIC_URL)
PUBLIC_HOST = _public.hostname or ""
PUBLIC_IS_HTTPS = _public.scheme == "https"
PUBLIC_IS_LOOPBACK = PUBLIC_HOST in {"localhost", "::1"} or PUBLIC_HOST.startswith("127.")
# vmauth passes the client's Host on; readiness checks come to Django's own loopback address.
ALLOWED_HOSTS = sorted(
    {f"[{PUBLIC_HOST}]" if ":" in PUBLIC_HOST else PUBLIC_HOST, "127.0.0.1", "localhost", "[::1]"}
)
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
CSRF_FAILURE_VIEW = "backend.errors.csrf_failure"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PUBLIC_IS_HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "leadline_session"
SESSION_COOKIE_AGE = 14 * 86400
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SECURE_HSTS_SECONDS = 31536000 if PUBLIC_IS_HTTPS else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

# --- what runs ---
DEBUG = False
ROOT_URLCONF = "backend.urls"
WSGI_APPLICATION = "backend.wsgi.application"
INSTALLED_APPS = [
    "backend.accounts",
    "backend.events",
    "backend.inventory",
    "backend.metrics",
    "backend.fleet",
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",  # allauth writes to it, nobody reads it
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.headless",
]
MIDDLEWARE = [
    "backend.web.RequestMiddleware",
    "backend.web.DataPlaneMiddleware",
    "backend.web.SecurityHeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    },
]
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# In PostgreSQL and not in Redis: signing in and its rate limit must work while Redis is down.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "leadline_cache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
}

# --- signing in ---
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["email", "name"]},
    },
]
ACCOUNT_ADAPTER = "backend.accounts.sign_in.Adapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "20/m/ip,5/5m/key",
    "change_password": "5/m/user",
}
ALLAUTH_TRUSTED_PROXY_COUNT = 1  # vmauth, which sets X-Forwarded-For
HEADLESS_ONLY = True
HEADLESS_CLIENTS = ("browser",)
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"  # nothing is mailed from here

# --- the API ---
REST_FRAMEWORK = {
    # A view that forgets to say who may use it knows nobody and refuses everybody; OrgView says it.
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "backend.openapi.Schema",
    "EXCEPTION_HANDLER": "backend.errors.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Leadline",
    "DESCRIPTION": "For people and programs. Errors are RFC 9457 problems; lists go by cursor.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "COMPONENT_SPLIT_REQUEST": True,
    "SORT_OPERATIONS": True,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "PREPROCESSING_HOOKS": ["backend.openapi.only_public_routes"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "backend.openapi.add_problem",
    ],
    "ENUM_NAME_OVERRIDES": {
        "RoleEnum": "backend.accounts.roles.Role",
        "KeyScopeEnum": "backend.accounts.roles.KeyScope",
        "ServiceStateEnum": "backend.openapi.service_states",
        "AgentStateEnum": "backend.openapi.agent_states",
        "NodeStateEnum": "backend.openapi.node_states",
    },
}

# --- the user interface ---
STATIC_URL = "/assets/"
if FRONTEND_DIST.is_dir():
    WHITENOISE_ROOT = str(FRONTEND_DIST)
WHITENOISE_USE_FINDERS = False
WHITENOISE_AUTOREFRESH = False


def WHITENOISE_IMMUTABLE_FILE_TEST(path: str, url: str) -> bool:  # noqa: N802 - its name there
    """Tell which files never change: Vite puts a hash of the content into names in /assets/."""
    del path
    return re.match(r"^/assets/.+-[\w-]{8}\.\w+(\.map)?$", url) is not None


# --- logs ---
LOGGING_CONFIG = None
logs.configure(LOG_LEVEL)
